const specs = JSON.parse(document.getElementById("specs").textContent);
for (const [name, spec] of Object.entries(specs)) {
  vegaEmbed(document.getElementById("chart-" + name), spec, {actions: false});
}
