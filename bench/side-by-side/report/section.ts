/** The result of one case, as it is printed and saved: the measured times, and the targets. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly figures: readonly Figure[];
}

/** A row by column, with unrounded numbers. */
export type Row = Readonly<Record<string, string | number | undefined>>;

export interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly must: 'be at most' | 'be at least' | 'be';
  readonly limit: number;
}

export const atMost = (what: string, measured: number, limit: number): Figure => {
  return { what, measured, must: 'be at most', limit };
};
export const atLeast = (what: string, measured: number, limit: number): Figure => {
  return { what, measured, must: 'be at least', limit };
};

export function holds({ measured, must, limit }: Figure): boolean {
  switch (must) {
    case 'be':
      return measured === limit;
    case 'be at most':
      return measured <= limit;
    case 'be at least':
      return measured >= limit;
  }
}
