/** Preloaded into a measured process: prints its peak memory as the last line of its standard error. */
process.on('exit', () => {
  process._rawDebug(`peak RSS: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
});
