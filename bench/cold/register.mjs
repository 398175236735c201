// The built register function in a new process: `node register.mjs BUNDLE [EVENT]`, with its configuration in the environment as deployed.
// Without an event, it ends where the first invocation would begin.
const [, , bundle, event] = process.argv;
const { handler } = await import(bundle);
if (event !== undefined) {
  const context = { functionName: 'register', awsRequestId: 'cold', getRemainingTimeInMillis: () => 60_000 };
  const { batchItemFailures } = await handler(JSON.parse(event), context);
  if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} messages were handed back`);
}
process.stdout.write('\ndone\n', () => process.exit(0));
