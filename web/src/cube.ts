/** The shape of the cube, as `triplewire.network.hypercube.cube` has it: places, dimensions, neighbours, broadcasts. */

export class Cube {
  private readonly whole: number;
  constructor(readonly size: number) {
    this.whole = Math.max(0, Math.floor(Math.log2(Math.max(1, size))));
  }

  dimensions(place: number): number {
    return place >> this.whole || place + (1 << this.whole) < this.size ? this.whole + 1 : this.whole;
  }

  neighbour(place: number, dimension: number): number {
    const across = place ^ (1 << dimension);
    return across < this.size ? across : across - (1 << this.whole);
  }

  links(): [number, number][] {
    const found = new Map<string, [number, number]>();
    for (let place = 0; place < this.size; place++)
      for (let dimension = 0; dimension < this.dimensions(place); dimension++) {
        const other = this.neighbour(place, dimension);
        const link: [number, number] = place < other ? [place, other] : [other, place];
        if (other !== place) found.set(link.join(), link);
      }
    return [...found.values()];
  }

  /** Every hop of a broadcast: whoever it reaches on a dimension sends it on along each higher one. */
  broadcast(from: number): { hops: [number, number][]; depth: Map<number, number> } {
    const hops: [number, number][] = [];
    const depth = new Map([[from, 0]]);
    const reached: [number, number][] = [[from, -1]];
    for (const [place, dimension] of reached)
      for (let higher = dimension + 1; higher < this.dimensions(place); higher++) {
        const other = this.neighbour(place, higher);
        hops.push([place, other]);
        depth.set(other, depth.get(place)! + 1);
        reached.push([other, higher]);
      }
    return { hops, depth };
  }

  /** The hops of a broadcast that lead to one place. */
  way(from: number, to: number): [number, number][] {
    const { hops } = this.broadcast(from);
    const before = new Map(hops.map(([one, other]) => [other, one]));
    const found: [number, number][] = [];
    for (let place = to; place !== from && before.has(place); place = before.get(place)!) found.unshift([before.get(place)!, place]);
    return found;
  }

  /** Where a place is drawn: a vector for each bit of it, up to four; more are on a circle. */
  points(): [number, number][] {
    const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, this.size))));
    if (bits > 4) return Array.from({ length: this.size }, (_, place) => circle(place, this.size));
    const vectors: [number, number][] = [[240, 0], [0, 190], [96, -70], [330, 30]];
    return Array.from({ length: this.size }, (_, place) =>
      vectors.reduce<[number, number]>(([x, y], [dx, dy], bit) => ((place >> bit) & 1 ? [x + dx, y + dy] : [x, y]), [0, 0]),
    );
  }
}

function circle(place: number, size: number): [number, number] {
  const turn = (place / size) * 2 * Math.PI - Math.PI / 2;
  const radius = 60 + size * 9;
  return [Math.cos(turn) * radius, Math.sin(turn) * radius];
}
