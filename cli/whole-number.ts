import { InvalidArgumentError } from 'commander';

/** An option's value that counts something. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('it must be a whole number above 0.');
}
