// In the pages of `make dev` only (scripts/build-dev.sh puts it there): takes up a new build by a reload, and shows why
// one failed while the old one plays on. Absent from what is deployed.

interface Told {
  /** The build that plays. */
  build: string;
  /** What the compiler said of the newest change, if it has no build. */
  fault: string | null;
}

const STYLE = `
  #dev-fault { position: fixed; z-index: 100; left: 12px; right: 12px; bottom: 12px; max-height: 60vh; overflow: auto;
    padding: 12px 14px; border: 1px solid #ff6b6b; border-radius: 10px; background: rgb(17 10 14 / 0.94);
    color: #f3dede; font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  #dev-fault pre { margin: 8px 0 0; font: inherit; white-space: pre-wrap; user-select: text; }
  #dev-fault button { float: right; padding: 2px 10px; font: inherit; }`;

const own = new URL(import.meta.url).searchParams;

class FaultPanel {
  private readonly panel = document.createElement("section");
  private readonly text = document.createElement("pre");
  /** Put away by the maker; another text is shown again. */
  private dismissed: string | null = null;

  constructor() {
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.append(style);
    const button = document.createElement("button");
    button.textContent = "Close";
    button.addEventListener("click", () => {
      this.dismissed = this.text.textContent;
      this.panel.hidden = true;
      // Else the next press of a key that plays would press it.
      button.blur();
    });
    this.panel.id = "dev-fault";
    this.panel.role = "alert";
    this.panel.hidden = true;
    this.panel.append(button, "This change does not build; the last build plays on.", this.text);
    document.body.append(this.panel);
  }

  show(fault: string | null): void {
    this.text.textContent = fault;
    if (fault === null) this.dismissed = null;
    this.panel.hidden = fault === null || fault === this.dismissed;
  }
}

const panel = new FaultPanel();
new EventSource(`http://${own.get("events")}`).onmessage = (event) => {
  const { build, fault } = JSON.parse(event.data as string) as Told;
  if (build !== own.get("build")) location.reload();
  else panel.show(fault);
};
// A welcome that names a newer build: elsewhere the page offers a reload, here it takes it.
window.addEventListener("roundtable:new-build", (event) => {
  event.preventDefault();
  location.reload();
});
