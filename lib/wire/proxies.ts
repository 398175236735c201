import type { Environment } from '../config/overrides.ts';
import type { ProxySettings } from '../drivers/http.ts';

/** The proxies of the environment. Variables in lower case take precedence, as in curl and Java's clients. */
export function proxiesOf(env: Environment): ProxySettings {
  const either = (name: string) => env[name.toLowerCase()] ?? env[name] ?? '';
  return { https: either('HTTPS_PROXY'), http: either('HTTP_PROXY'), except: either('NO_PROXY') };
}
