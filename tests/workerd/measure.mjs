/** What tests read off received snapshots: gaps, rates, and whether a tick is missing. */

/** The nearest-rank quantile of some numbers. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)];
}

/** Milliseconds between neighbouring arrivals. @param {{at: number}[]} snaps */
export function gaps(snaps) {
  return snaps.slice(1).map((snap, i) => snap.at - snaps[i].at);
}

/** Where ticks of one epoch are not consecutive: pairs of ticks. @param {{e: number, k: number}[]} snaps */
export function holes(snaps) {
  return snaps.slice(1).flatMap((snap, i) => (
    snap.e === snaps[i].e && snap.k !== snaps[i].k + 1 ? [[snaps[i].k, snap.k]] : []
  ));
}

/** Where the server's stamp does not rise. @param {{st: number}[]} snaps */
export function stampsNotRising(snaps) {
  return snaps.slice(1).filter((snap, i) => snap.st <= snaps[i].st).map((snap) => snap.st);
}

/** Ticks a second by the server's stamps and by arrival. @param {{k: number, st: number, at: number}[]} snaps */
export function rates(snaps) {
  const [first, last] = [snaps[0], snaps[snaps.length - 1]];
  const ticks = last.k - first.k;
  return { stamped: (ticks * 1000) / (last.st - first.st), arrived: (ticks * 1000) / (last.at - first.at) };
}

/** Milliseconds as they go into a message. */
export const ms = (value) => `${value.toFixed(1)} ms`;
