import path from 'node:path';
import {
  type App,
  BootstraplessSynthesizer,
  CfnParameter,
  Fn,
  type IStackSynthesizer,
  Stack,
  type StackProps,
} from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Deployable } from './deployment.ts';
import { IcebergRegistrar } from './iceberg-registrar.ts';

/** The stack that `npm run deploy` deploys, with its code from `dist/`. */
export function deployStack(app: App, deployable: Deployable): Stack {
  const { stage, account, region } = deployable.deployment;
  const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
  const stack = new Stack(app, `iceberg-registrar-${stage}`, { ...described(stage), env });
  new IcebergRegistrar(stack, 'Registrar', {
    deployable,
    code: {
      codeOf: (name) => Code.fromAsset(path.resolve(import.meta.dirname, '../dist', name)),
      versioned: true,
    },
  });
  return stack;
}

/** The same as a plain CloudFormation template, whose parameters name the bucket with `<CodePrefix><function>.zip`. */
export function templateStack(app: App, deployable: Deployable): Stack {
  const { stage } = deployable.deployment;
  const synthesizer = new BootstraplessSynthesizer() as IStackSynthesizer;
  const stack = new Stack(app, `iceberg-registrar-${stage}-template`, { ...described(stage), synthesizer });
  const bucketName = new CfnParameter(stack, 'CodeBucket', {
    description: 'Bucket in this region with the zipped functions',
  });
  const prefix = new CfnParameter(stack, 'CodePrefix', {
    description: 'Key prefix of route.zip, register.zip and so on; change it to deploy other code',
    default: 'iceberg-registrar/',
  });
  const bucket = Bucket.fromBucketName(stack, 'Code', bucketName.valueAsString);
  new IcebergRegistrar(stack, 'Registrar', {
    deployable,
    code: {
      codeOf: (name) => Code.fromBucket(bucket, Fn.join('', [prefix.valueAsString, `${name}.zip`])),
      versioned: false,
    },
  });
  return stack;
}

function described(stage: string): StackProps {
  return {
    description: `iceberg-registrar, stage ${stage}: registers uploaded Parquet files in Apache Iceberg tables`,
    tags: { 'iceberg-registrar:stage': stage },
  };
}
