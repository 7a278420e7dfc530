// Puts the parts of a page in place that the server sends, and lets keys press buttons.
"use strict";

const address = document.body.dataset.stream;
if (address) {
  const source = new EventSource(address);
  source.addEventListener("parts", (event) => {
    for (const [name, html] of Object.entries(JSON.parse(event.data))) {
      const place = document.querySelector(`[data-live="${name}"]`);
      // Whoever reads or selects something there keeps it until he moves on.
      if (!place || place.contains(document.activeElement) || selects(place)) continue;
      const made = new DOMParser().parseFromString(html, "text/html");
      place.replaceChildren(...made.body.childNodes);
    }
    showState();
  });
}

function selects(place) {
  const selection = document.getSelection();
  return selection.toString() !== "" && place.contains(selection.anchorNode);
}

// Only the button that does something is shown: pause while it runs, resume while it is paused.
function showState() {
  const paused = document.querySelector(".state-paused") !== null;
  for (const form of document.querySelectorAll(".only-pause")) form.hidden = paused;
  for (const form of document.querySelectorAll(".only-resume")) form.hidden = !paused;
}
showState();

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  for (const element of document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)) {
    if (element.closest("[hidden]")) continue;
    event.preventDefault();
    if (element.matches("input")) element.focus();
    else element.click();
    return;
  }
});
