import { RegistrarError } from '../errors.ts';

/** How a deployment may be named. Its stage is part of all its names, which each cloud limits in its own way. */
export const stageRules = {
  aws: { pattern: /^[a-z0-9-]{1,20}$/, rule: 'must be 1 to 20 of a-z, 0-9 and -' },
  /** As infra/google/variables.tf has it. */
  google: {
    pattern: /^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/,
    rule: 'must be 1 to 15 of a-z, 0-9 and -, without - at its ends',
  },
};

/** @throws `config.invalid` for a stage that cannot be deployed there */
export function checkStage(stage: string, cloud: keyof typeof stageRules): void {
  const { pattern, rule } = stageRules[cloud];
  if (!pattern.test(stage))
    throw new RegistrarError('config.invalid', `Cannot name a deployment "${stage}": --stage ${rule}`);
}
