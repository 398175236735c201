/** Makes text from a file or an event safe to print: nothing in it can control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
