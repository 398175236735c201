/** This release, as snapshots and requests name it. A test holds it equal to package.json. */
export const version = '0.1.0';
