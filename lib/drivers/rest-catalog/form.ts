/** Encodes text as `application/x-www-form-urlencoded`. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
