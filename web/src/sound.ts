// The sounds of effects, made by WebAudio from a few numbers each: there are no files to load.
//
// Nothing sounds before the first gesture (a browser would not allow it) and nothing while muted, which this browser
// remembers. What happens off the screen is fainter, and far off it silent.

import { read, write } from "./storage.ts";

/** A tone that slides from one pitch to another, or noise through a filter that does. */
interface Sound {
  wave: OscillatorType | "noise";
  /** Hertz. */
  from: number;
  to: number;
  /** Seconds. */
  length: number;
  volume: number;
  /** A second tone, this many times as high. */
  over?: number;
}

const SOUNDS: Record<string, Sound> = {
  blip: { wave: "square", from: 660, to: 880, length: 0.07, volume: 0.12 },
  thud: { wave: "sine", from: 170, to: 45, length: 0.18, volume: 0.6 },
  chime: { wave: "sine", from: 880, to: 880, length: 0.6, volume: 0.22, over: 1.5 },
  zap: { wave: "sawtooth", from: 1_400, to: 160, length: 0.13, volume: 0.14 },
  pop: { wave: "noise", from: 2_400, to: 300, length: 0.1, volume: 0.35 },
};
const MUTED = "roundtable:muted";
/** Sounds at a time; more would be one noise. */
const VOICES_MAX = 8;
/** Seconds between two of the same sound. */
const SPACING = 0.03;

export class Sounds {
  private context: AudioContext | null = null;
  private noise: AudioBuffer | null = null;
  private readonly last = new Map<string, number>();
  private voices = 0;
  private muted = read("localStorage", MUTED) !== null;

  constructor(private readonly button: HTMLButtonElement) {
    const wake = (): void => this.wake();
    for (const gesture of ["pointerup", "keydown", "touchend"]) window.addEventListener(gesture, wake);
    button.addEventListener("click", () => {
      this.muted = !this.muted;
      write("localStorage", MUTED, this.muted ? "1" : null);
      this.show();
    });
    this.show();
  }

  /** A game without sounds needs no button for them. */
  declare(hasSounds: boolean): void {
    this.button.hidden = !hasSounds;
  }

  private show(): void {
    this.button.setAttribute("aria-pressed", `${this.muted}`);
    this.button.title = this.muted ? "Sound is off" : "Sound is on";
  }

  private wake(): void {
    if (this.button.hidden || this.muted) return;
    this.context ??= "AudioContext" in window ? new AudioContext() : null;
    if (this.context?.state === "suspended") void this.context.resume();
  }

  /**
   * Plays a sound that belongs to a place on the screen, -1 to 1 from edge to edge on both axes. What is farther off than
   * two screens is not heard.
   */
  play(name: string, x: number, y: number): void {
    const sound = SOUNDS[name];
    const context = this.context;
    const distance = Math.max(Math.abs(x), Math.abs(y), 0);
    if (!sound || !context || this.muted || context.state !== "running" || distance >= 2) return;
    const now = context.currentTime;
    if (this.voices >= VOICES_MAX || now - (this.last.get(name) ?? -1) < SPACING) return;
    this.last.set(name, now);
    const near = distance <= 1 ? 1 : 2 - distance;
    const gain = context.createGain();
    gain.gain.setValueAtTime(sound.volume * near, now);
    gain.gain.exponentialRampToValueAtTime(0.0008, now + sound.length);
    const pan = context.createStereoPanner();
    pan.pan.value = Math.min(Math.max(x * 0.7, -1), 1);
    gain.connect(pan).connect(context.destination);
    this.voice(context, sound, 1, gain);
    if (sound.over) this.voice(context, sound, sound.over, gain);
  }

  private voice(context: AudioContext, sound: Sound, times: number, out: AudioNode): void {
    const now = context.currentTime;
    const slide = (pitch: AudioParam): void => {
      pitch.setValueAtTime(sound.from * times, now);
      pitch.exponentialRampToValueAtTime(sound.to * times, now + sound.length);
    };
    let source: AudioScheduledSourceNode;
    if (sound.wave === "noise") {
      const player = context.createBufferSource();
      player.buffer = this.noise ??= makeNoise(context);
      const filter = context.createBiquadFilter();
      slide(filter.frequency);
      player.connect(filter).connect(out);
      source = player;
    } else {
      const tone = context.createOscillator();
      tone.type = sound.wave;
      slide(tone.frequency);
      tone.connect(out);
      source = tone;
    }
    this.voices += 1;
    source.onended = () => (this.voices -= 1);
    source.start(now);
    source.stop(now + sound.length);
  }
}

function makeNoise(context: AudioContext): AudioBuffer {
  const buffer = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}
