// "Play on another device" on the home page: makes a one-time code, and takes one that was made elsewhere.

import { keptSession, makeCode, takeCode } from "./session.ts";

/** Letters of a code that are shown together: read in two breaths. */
const GROUP = 4;

export function devices(): void {
  const form = document.getElementById("devices");
  if (!(form instanceof HTMLFormElement)) return;
  const [make, take] = form.querySelectorAll("button");
  const [shown, typed] = [form.querySelector("output"), form.querySelector("input")];
  const line = form.querySelector("[role=status]");
  if (!make || !take || !shown || !typed || !line) return;
  const say = (text: string): void => {
    line.textContent = text;
  };
  make.addEventListener("click", () => {
    if (keptSession() === null) return say("There is nothing to take along yet: play first.");
    const made = makeCode().then((code) => {
      shown.value = code === null ? "" : `${code.slice(0, GROUP)} ${code.slice(GROUP)}`;
      say(code === null ? "No code could be made just now. Try again in a minute." : "");
    });
    waiting(make, made);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const taken = takeCode(typed.value).then((isTaken) => {
      if (isTaken) form.reset();
      say(isTaken ? "You are that player here now." : "This code is unknown, used up or older than ten minutes.");
    });
    waiting(take, taken);
  });
}

function waiting(button: HTMLButtonElement, work: Promise<void>): void {
  button.disabled = true;
  void work.finally(() => (button.disabled = false));
}
