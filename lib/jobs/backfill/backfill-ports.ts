import type { SendAgainPorts } from '../quarantine/send-again.ts';
import type { RegisterPorts } from '../register/register-ports.ts';

export type BackfillPorts = RegisterPorts & SendAgainPorts;
