/** The exit code of a process that was stopped by Ctrl-C. */
export const INTERRUPTED = 130;

/** A signal that the first Ctrl-C or SIGTERM aborts; a second one ends the process, which loses nothing either. */
export function stopSignal(tell: (text: string) => void): AbortSignal {
  const stop = new AbortController();
  const ask = () => {
    process.removeListener('SIGINT', ask).removeListener('SIGTERM', ask);
    tell('Stopping after the work under way; press Ctrl-C again to stop now (nothing is lost).\n');
    stop.abort();
  };
  process.once('SIGINT', ask).once('SIGTERM', ask);
  return stop.signal;
}
