"""Small PDFs, sound and hostile, written object by object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FONT = 3
"""The number of the object that is a font."""


def document(objects: Mapping[int, str], more: str = "") -> bytes:
    """A file of these objects, of which the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.4\n"), {}
    for number, text in objects.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = len(out)
    size = max(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    for number in range(1, size):
        place = places.get(number)
        out += (f"{place:010} 00000 n \n" if place else "0000000000 65535 f \n").encode()
    out += f"trailer\n<< /Size {size} /Root 1 0 R {more} >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def stream(text: str, more: str = "") -> str:
    return f"<< /Length {len(text)} {more} >>\nstream\n{text}\nendstream"


def shown(lines: Sequence[str]) -> str:
    """The instructions that write lines below each other."""
    said = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    return f"BT /F1 12 Tf 72 720 Td {said}ET"


def text_pdf(*pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with these lines on its pages."""
    first = 10
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(pages)))
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        FONT: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< /Title ({title}) /Author (A. Writer) /CreationDate (D:20240531120000Z) >>",
    }
    for at, lines in enumerate(pages):
        objects[first + 2 * at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 2 * at + 1} "
            f"0 R /Resources << /Font << /F1 {FONT} 0 R >> >> >>"
        )
        objects[first + 2 * at + 1] = stream(shown(lines))
    return document(objects, "/Info 4 0 R")


def repeated_pages(count: int) -> bytes:
    """One page that is listed very often: a short file of many pages."""
    kids = "10 0 R " * count
    return document(
        {
            1: "<< /Type /Catalog /Pages 2 0 R >>",
            2: f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
            FONT: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            10: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 11 0 R "
            f"/Resources << /Font << /F1 {FONT} 0 R >> >> >>",
            11: stream(shown(["one", "two"])),
        }
    )


def nested_forms(depth: int, wide: int) -> bytes:
    """A form that draws another ten times, which does the same, and so on."""
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [10 0 R] /Count 1 >>",
        FONT: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        10: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 11 0 R "
        "/Resources << /XObject << /X 20 0 R >> >> >>",
        11: stream("/X Do " * wide),
    }
    for level in range(depth):
        last = level == depth - 1
        inner = f"/Font << /F1 {FONT} 0 R >>" if last else f"/XObject << /X {21 + level} 0 R >>"
        said = shown(["deep"]) if last else "/X Do " * wide
        objects[20 + level] = stream(
            said,
            f"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << {inner} >>",
        )
    return document(objects)


def encrypted_pdf() -> bytes:
    """A PDF whose password nobody has."""
    keys = f"<{'41' * 32}>"
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O {keys} /U {keys} /P -4 >>"
    whole = text_pdf(["secret"])
    return whole.replace(b"/Info 4 0 R", f"/Info 4 0 R {lock} /ID [<00> <00>]".encode())
