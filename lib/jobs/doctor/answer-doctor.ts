import { type DoctorPorts, examine } from './doctor.ts';
import type { DoctorAnswer, DoctorRequest } from './doctor-request.ts';

/** Doctor's checks in the deployed function: with its role, which cannot write, in its network and with its secrets. */
export async function answerDoctor({ doctor }: DoctorRequest, ports: DoctorPorts): Promise<DoctorAnswer> {
  const { table } = doctor;
  const options = typeof table === 'string' ? { table } : {};
  return { findings: await examine(ports, { ...options, writes: 'nothing' }) };
}
