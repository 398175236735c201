/** The one file of undici that is used: with its index the bundle would be 260 KiB larger. */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
