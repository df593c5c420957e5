/**
 * The maker's loop, in pages that `make dev` serves and in no others: shows a compile error over the game that plays on,
 * and takes up a new build by loading the page again; the tab's token brings the same seat back.
 */

type State = { kind: "live"; build: string } | { kind: "building" } | { kind: "failed"; text: string };

/** Milliseconds between looks at whether the server has the new build. */
const LOOK_MS = 250;

const own = new URL(import.meta.url).searchParams;
const build = own.get("build") ?? "";
let overlay: HTMLElement | null = null;
let loading = false;

function show(text: string): void {
  hide();
  overlay = document.createElement("section");
  overlay.id = "dev-error";
  overlay.setAttribute("role", "alert");
  overlay.style.cssText =
    "position:fixed;inset:auto 0 0 0;max-height:60vh;overflow:auto;z-index:9999;margin:0;padding:16px 20px;"
    + "background:#1b1014f2;color:#ffd9d9;border-top:3px solid #ff5d5d;font:13px/1.45 ui-monospace,monospace";
  const close = document.createElement("button");
  close.textContent = "Dismiss";
  close.style.cssText = "float:right;font:inherit;color:inherit;background:none;border:1px solid;padding:4px 10px";
  close.onclick = hide;
  const body = document.createElement("pre");
  body.style.cssText = "margin:0;white-space:pre-wrap;font:inherit";
  body.textContent = text;
  overlay.append(close, body);
  document.body.append(overlay);
}

function hide(): void {
  overlay?.remove();
  overlay = null;
}

/** Loads the page again once the server gives out the new one. */
async function takeUp(next: string): Promise<void> {
  if (loading || next === build) {
    return;
  }
  loading = true;
  for (;;) {
    const page = await fetch(location.pathname, { cache: "no-store" }).then((answer) => answer.text()).catch(() => "");
    if (page.includes(`build=${next}`)) {
      location.reload();
      return;
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

new EventSource(own.get("events") ?? "").onmessage = ({ data }) => {
  const state = JSON.parse(data) as State;
  if (state.kind === "failed") {
    show(state.text);
  } else if (state.kind === "live") {
    hide();
    void takeUp(state.build);
  }
};
