import { InvalidArgumentError } from 'commander';

/** Parses an option's value as a whole number above 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('it must be a whole number above 0.');
}
