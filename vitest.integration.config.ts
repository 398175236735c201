import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/integration/**/*.test.ts'],
    setupFiles: ['test/watch-secrets.ts'],
    globalSetup: ['test/integration/services/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // .ci/run lists what passed only when it was tried again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    pool: 'forks',
    maxWorkers: 2,
  },
});
