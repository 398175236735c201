import { arch, cpus, platform, totalmem } from 'node:os';

/** The machine and the versions with which the figures were measured. */
export interface Machine {
  readonly date: string;
  readonly system: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly versions: Readonly<Record<string, string>>;
}

export function machine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    system: `${platform()} ${arch()}`,
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    versions: {
      Node: process.versions.node,
      SeaweedFS: '4.48',
      "Apache's REST fixture": '1.10.1',
      PyIceberg: '0.12.0',
      'Iceberg for Java': '1.12.0',
      'iceberg-rust': '0.10.1',
      'iceberg-go': '0.7.0',
    },
  };
}
