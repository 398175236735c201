/** Text from a file or an event, with nothing in it that would steer a terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
