import { freePorts } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { answers } from './ready.ts';
import type { Folders } from './service.ts';

/** The Java of `JAVA_HOME`, else the one that is found: Polaris and Nessie need 21 or newer. */
export const java = process.env['JAVA_HOME'] === undefined ? 'java' : `${process.env['JAVA_HOME']}/bin/java`;

/** Starts a Quarkus application, as Polaris and Nessie are; it listens on 127.0.0.1 alone. */
export async function quarkusOnHost(
  folders: Folders,
  name: string,
  jar: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const [port, healthPort] = await freePorts(2);
  const { stop } = await startHostProcess(folders, {
    name,
    command: java,
    args: ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-jar', jar],
    env: {
      ...env,
      QUARKUS_HTTP_HOST: '127.0.0.1',
      QUARKUS_HTTP_PORT: String(port),
      QUARKUS_MANAGEMENT_HOST: '127.0.0.1',
      QUARKUS_MANAGEMENT_PORT: String(healthPort),
    },
    ready: () => answers(`http://127.0.0.1:${healthPort}/q/health`),
  });
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}
