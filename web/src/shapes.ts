// The outlines that looks name, around the origin and pointing to +x where they point anywhere.

const UP = -Math.PI / 2;
const CORNERS = [
  [1, 1],
  [1, -1],
  [-1, -1],
  [-1, 1],
] as const;

function polygon(c: Context, r: number, corners: number, inner: number, turn: number): void {
  const points = inner < 1 ? corners * 2 : corners;
  for (let i = 0; i < points; i++) {
    const reach = inner < 1 && i % 2 === 1 ? r * inner : r;
    const angle = turn + (i / points) * Math.PI * 2;
    c.lineTo(Math.cos(angle) * reach, Math.sin(angle) * reach);
  }
  c.closePath();
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
type Outline = (c: Context, r: number) => void;

const disc: Outline = (c, r) => c.arc(0, 0, r, 0, Math.PI * 2);
const box: Outline = (c, r) => c.roundRect(-r * 0.85, -r * 0.85, r * 1.7, r * 1.7, r * 0.2);

const OUTLINES: Record<string, Outline> = {
  disc,
  box,
  square: box,
  star: (c, r) => polygon(c, r, 5, 0.45, UP),
  diamond: (c, r) => polygon(c, r, 4, 1, UP),
  triangle: (c, r) => polygon(c, r, 3, 1, UP),
  pentagon: (c, r) => polygon(c, r, 5, 1, UP),
  hex: (c, r) => polygon(c, r, 6, 1, UP),
  cross: (c, r) => {
    const w = r * 0.36;
    // Around the four corners, each from the end of one arm to the side of the next.
    for (const [x, y] of CORNERS) {
      const isUpright = x === y;
      c.lineTo(x * (isUpright ? w : r), y * (isUpright ? r : w));
      c.lineTo(x * w, y * w);
      c.lineTo(x * (isUpright ? r : w), y * (isUpright ? w : r));
    }
    c.closePath();
  },
  heart: (c, r) => {
    c.moveTo(0, r * 0.9);
    c.bezierCurveTo(-r * 1.5, -r * 0.1, -r * 0.8, -r * 1.2, 0, -r * 0.45);
    c.bezierCurveTo(r * 0.8, -r * 1.2, r * 1.5, -r * 0.1, 0, r * 0.9);
  },
  arrow: (c, r) => {
    c.moveTo(r, 0);
    c.lineTo(-r * 0.75, r * 0.75);
    c.lineTo(-r * 0.35, 0);
    c.lineTo(-r * 0.75, -r * 0.75);
    c.closePath();
  },
};

/** Adds the outline of a shape of radius `r` to the path; of an unknown one a disc. */
export function outline(c: Context, shape: string, r: number): void {
  c.beginPath();
  (OUTLINES[shape] ?? disc)(c, r);
}

/** A shape that itself shows where it heads, when it is turned; `turn` is how far from pointing to +x it is made. */
export function pointer(shape: string): { turn: number } | null {
  if (shape === "triangle") return { turn: -UP };
  return shape === "arrow" || shape === "sprite" ? { turn: 0 } : null;
}
