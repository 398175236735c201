/** Assembles lines from pieces of text, and calls `onLine` with each complete line that is not empty. */
export function wholeLines(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  };
}
