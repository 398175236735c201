import { type DoctorPorts, examine } from './doctor.ts';
import type { DoctorAnswer, DoctorRequest } from './doctor-request.ts';

/** The checks as the deployed function makes them: under its role, which writes nothing, in its network, with its secrets. */
export async function answerDoctor({ doctor }: DoctorRequest, ports: DoctorPorts): Promise<DoctorAnswer> {
  const { table } = doctor;
  const options = typeof table === 'string' ? { table } : {};
  return { findings: await examine(ports, { ...options, writes: 'nothing' }) };
}
