import type { Context } from 'aws-lambda';

/** The context of one local invocation, with the parts of Lambda's own that have a meaning here. */
export function lambdaContext(options: {
  readonly functionName: string;
  readonly requestId: string;
  readonly deadlineMs: number;
  readonly now: () => number;
}): Context {
  const { functionName, requestId, deadlineMs, now } = options;
  const callback = () => {};
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - now()),
    done: callback,
    fail: callback,
    succeed: callback,
  };
}
