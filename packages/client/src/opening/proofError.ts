import { ReasonedError } from '@blindkeep/protocol/reasonedError'

/** The steps of the check (docs/formats.md, "The proof about a file"), in their order. */
export const PROOF_FAULTS = [
  'form',
  'receipt',
  'key',
  'server',
  'members',
  'secret',
  'header',
  'name',
  'length',
  'bytes',
] as const
export type ProofFault = (typeof PROOF_FAULTS)[number]

/** A proof about a file is not shown to hold. `reason` is the first step that fails, the message is for people. */
export class ProofError extends ReasonedError<ProofFault> {
  override readonly name = 'ProofError'
}
