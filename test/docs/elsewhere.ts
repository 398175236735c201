/** Who runs a command of the documentation that `walk.test.ts` does not type; where nobody does, why, and what reads its options. */
export interface Elsewhere {
  readonly file: string;
  /** What runs it there, or what of the command it knows. @default the names of the command's options */
  readonly text?: string | readonly string[];
  /** Why no test runs it. */
  readonly notRun?: string;
}

const ci = (text: string): Elsewhere => ({ file: '.ci/run', text });
const aws = (text: string): Elsewhere => ({ file: 'test/integration/docs/aws.test.ts', text });
const deployed = (text: string): Elsewhere => ({
  file: 'test/integration/docs/deploying-aws.test.ts',
  text,
});
const bundled: Elsewhere = { file: 'test/functions/bundle.test.ts', text: 'iceberg-registrar.mjs' };
const long = (file: string, runs: string): Elsewhere => ({ file, notRun: `it takes minutes; ${runs}` });
const bench = (file = 'bench/side-by-side/main.ts', text?: string): Elsewhere => ({
  file,
  ...(text !== undefined && { text }),
  notRun: 'it measures for minutes; its parts have tests in test/bench',
});
const certify: Elsewhere = {
  file: 'certify/main.ts',
  notRun: 'all engines take an hour; CI runs the short form',
};
const terraform = (text: readonly string[]): Elsewhere => ({
  file: 'infra/google/variables.tf',
  text,
  notRun: 'Terraform and its provider come from no package registry, and apply needs a project',
});
const gcloud = (file: string, text: readonly string[]): Elsewhere => ({
  file,
  text,
  notRun: 'gcloud comes from no package registry, and needs a project',
});

export const elsewhere: Readonly<Record<string, Elsewhere>> = {
  'npm ci': ci("'npm ci' npm ci"),
  'npm test': ci("'unit tests' test"),
  'npm run test:integration': ci("'integration tests' test:integration"),
  'npm run test:integration -- --catalog polaris': {
    file: 'test/integration/run.ts',
    notRun: 'Polaris comes as an image alone; CI has no container engine everywhere',
  },
  'POLARIS_HOME=/opt/polaris npm run test:integration -- --catalog polaris': {
    file: 'test/integration/services/polaris.ts',
    notRun: 'Polaris’s distribution is in no package registry',
  },
  'NESSIE_JAR=/opt/nessie-quarkus-runner.jar npm run test:integration -- --catalog nessie': {
    file: 'test/integration/services/nessie.ts',
    notRun: 'Nessie’s runner is in no package registry',
  },
  'LAKEKEEPER_BINARY=/opt/lakekeeper npm run test:integration -- --catalog lakekeeper': {
    file: 'test/integration/services/lakekeeper.ts',
    notRun: 'Lakekeeper’s program is in no package registry',
  },
  'npm run lint': ci('lint npm run --silent lint'),
  'npm run types': ci('types npm run --silent types'),
  'npm run build': ci('build npm run --silent build'),
  'npm run certify -- --short': ci('certify -- --short'),
  'npm run site': { file: 'test/docs/site.test.ts', text: 'buildSite(' },
  '.ci/run': { file: '.ci/run', text: 'passed', notRun: 'it runs this test' },
  '.ci/setup localstack': { file: 'test/integration/services/services.ts', text: "install('localstack')" },
  'npm run demo': { file: 'test/integration/demo/keep.test.ts', text: "'cli/main.mjs', 'demo'" },
  'npm run demo -- --keep': { file: 'test/integration/demo/keep.test.ts', text: "'--keep'" },
  'npm run synth -- deployment.yaml': deployed('npm run synth'),
  'npx aws-cdk bootstrap': deployed('npx aws-cdk bootstrap'),
  'npm run deploy -- -c deployment=deployment.yaml': deployed('npm run deploy --'),
  'npm run deploy': { file: 'package.json', text: '"deploy"', notRun: 'the name of the command before' },
  'npm run deploy:local -- deployment.yaml': deployed('npm run deploy:local --'),
  'npm run deploy:local': deployed('npm run deploy:local --'),
  'REGISTRAR_CONFIG=registrar.yaml AWS_REGION=eu-central-1 npm run smoke -- --stack iceberg-registrar-prod':
    deployed('npm run smoke --'),
  'npx iceberg-registrar init notifications --stage prod --eventbridge --apply': deployed(
    'npx iceberg-registrar init notifications',
  ),
  'node iceberg-registrar.mjs status': bundled,
  'for f in route register health reconcile; do (cd dist/$f && zip -qr ../$f.zip . && aws s3 cp ../$f.zip s3://my-code/iceberg-registrar/v1/); done':
    aws('for f in route register health reconcile'),
  'aws cloudformation deploy --stack-name iceberg-registrar-prod --capabilities CAPABILITY_IAM --template-file dist/infra/iceberg-registrar-prod-template.template.json --s3-bucket my-code --s3-prefix iceberg-registrar --parameter-overrides CodeBucket=my-code CodePrefix=iceberg-registrar/v1/':
    aws('aws cloudformation deploy'),
  'aws lambda update-alias --function-name iceberg-registrar-prod-register --name live --function-version 41':
    aws('aws lambda update-alias'),
  'aws s3 ls s3://my-bucket/lake/thadam/v1/edge/orders/metadata/ | grep metadata.json | sort -k 4 | tail -1':
    aws('aws s3 ls s3://my-bucket/'),
  'aws sqs start-message-move-task --source-arn arn:aws:sqs:eu-central-1:123456789012:iceberg-registrar-prod-arrivals-dlq':
    aws('aws sqs start-message-move-task'),
  'cd infra/google': terraform([]),
  'terraform init': terraform([]),
  'terraform apply -var-file=../../deployment.tfvars -var "config=$(cat ../../registrar.yaml)"': terraform([
    'variable "config"',
  ]),
  'gcloud functions deploy iceberg-registrar --gen2 --runtime nodejs24 --region europe-west1 --source dist/cloud-event --entry-point pull --trigger-http --no-allow-unauthenticated --service-account registrar@my-project.iam.gserviceaccount.com --timeout 300s --memory 1Gi --concurrency 1 --min-instances 0 --max-instances 1 --env-vars-file env.yaml --set-secrets CATALOG_TOKEN=catalog-token:latest':
    gcloud('infra/google/function.tf', ['"pull"', 'nodejs24', '= 300']),
  'gcloud storage buckets notifications create gs://my-bucket --topic iceberg-registrar-prod-arrivals --event-types OBJECT_FINALIZE --object-prefix lake/':
    gcloud('infra/google/pubsub.tf', ['OBJECT_FINALIZE', 'object_name_prefix', '-arrivals']),
  'npm run certify': certify,
  'npm run certify -- --engines Spark --sections types,predicates': certify,
  'npm run certify -- --sections living --minutes 30': certify,
  'npm run certify -- --sections caches': certify,
  'npm run certify -- --sections manifests': certify,
  'npm run simulate -- --seeds 20000': ci('simulate -- --seeds 20000'),
  'npm run simulate -- --seeds 1000000': long('test/simulation/main.ts', 'CI runs the first 20,000'),
  'npm run soak -- --minutes 10': long('test/soak/run.ts', 'its parts have tests in test/soak'),
  'npm run storm': long('bench/conflicts/storm.ts', 'it prints what the page says'),
  'node bench/reconcile/reconcile.ts': long('bench/reconcile/reconcile.ts', 'it prints what the page says'),
  'npm install': {
    file: 'package.json',
    text: '"dependencies"',
    notRun: 'it is named for what it does to the lock file',
  },
  'npm run bench': bench(),
  'npm run bench -- --quick': bench(),
  'npm run bench -- --cases small,1000': bench(),
  'npm run bench -- --growth': bench(),
  'npm run bench -- --write-docs': bench(),
  'npm run bench:cold': bench('package.json', '"bench:cold"'),
  'npm run bench:backfill': bench('package.json', '"bench:backfill"'),
};

/** Whether `walk.test.ts` types a command: one of our command line that the embedded stack can answer. */
export function isWalked(command: string): boolean {
  return /^export |npx iceberg-registrar/.test(command) && !Object.hasOwn(elsewhere, command);
}
