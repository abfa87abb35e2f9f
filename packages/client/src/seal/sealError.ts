import { ReasonedError } from '@blindkeep/protocol/reasonedError'

export type SealFault =
  | 'unknown_format'
  | 'kem_ct_invalid'
  | 'wrong_key'
  | 'header_blocks'
  | 'header_altered'
  | 'header_invalid'
  | 'altered'
  | 'truncated'
  | 'trailing_data'
  | 'empty_segment'
  | 'too_long'
  | 'size_beyond_plaintext'
  | 'padding_not_zero'

/** The bytes are not a sealed blob, or of another key, or were altered. Programs switch on `reason`. */
export class SealError extends ReasonedError<SealFault> {
  override readonly name = 'SealError'
}
