import { type Stack, Token, Validations } from 'aws-cdk-lib';
import type { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';

type Place = Pick<Stack, 'partition' | 'region' | 'account'>;

/**
 * cdk-nag (AWS Solutions) requires a reason for every wildcard. Each one is acknowledged individually, so that a wildcard added
 * elsewhere or by a library still stops the synthesis. test/infra/access.test.ts checks the list.
 */
export function acknowledgeWildcards(role: Role, statements: readonly PolicyStatement[], stack: Place): void {
  const wildcards = statements
    .flatMap(({ resources }) => resources)
    .filter((resource) => resource.includes('*'));
  for (const wildcard of new Set(wildcards)) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${readable(wildcard, stack)}]`,
      reason:
        wildcard === '*'
          ? 'Network interfaces have no name before they are made, and metrics none at all'
          : 'Objects, tables and databases are granted by where they are: their names come with the data',
    });
  }
}

/** An ARN as cdk-nag prints it. */
function readable(arn: string, { partition, region, account }: Place): string {
  return arn
    .replaceAll(partition, '<AWS::Partition>')
    .replaceAll(region, Token.isUnresolved(region) ? '<AWS::Region>' : region)
    .replaceAll(account, Token.isUnresolved(account) ? '<AWS::AccountId>' : account);
}
