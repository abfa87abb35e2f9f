import { createHash } from 'node:crypto'
import { parseBase64 } from '@blindkeep/protocol/bytes'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { KEM_CIPHERTEXT_BYTES } from '@blindkeep/protocol/suites'
import { contentTypesOf } from '@blindkeep/protocol/window'
import type { Link } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'

/** What a guest declares of a file. The values are judged only after the link's caps and the owner's quota. */
export interface Declaration {
  readonly contentType: string
  readonly size: number
  readonly ciphertextHash: string
  /** base64 */
  readonly kemCt: string
  readonly suggestedFilename: string | undefined
}

export interface ParsedDeclaration {
  readonly ciphertextHash: Sha256Hex
  readonly kemCt: Uint8Array
}

export function parseDeclaration(
  declaration: Declaration,
  link: Link,
): ParsedDeclaration | Refuses<'declaration_malformed'> {
  const { contentType, suggestedFilename } = declaration
  const kemCt = parseBase64(declaration.kemCt)
  const ciphertextHash = parseSha256Hex(declaration.ciphertextHash)
  const malformed = (detail: string): Refuses<'declaration_malformed'> => ({ refused: 'declaration_malformed', detail })
  if (!contentTypesOf(link.protocolVersion).includes(contentType))
    return malformed('/content_type is not one of the link’s content_types')
  if (ciphertextHash === undefined) return malformed('/ciphertext_hash must be 64 lowercase hex characters')
  if (kemCt?.length !== KEM_CIPHERTEXT_BYTES)
    return malformed(`/kem_ct must be base64 of ${KEM_CIPHERTEXT_BYTES} bytes`)
  if (suggestedFilename !== undefined && !isFileName(suggestedFilename))
    return malformed('/suggested_filename must be 1 to 255 characters without control characters')
  return { ciphertextHash, kemCt }
}

/** Counted in code points; neither Unicode's control characters nor lone surrogates. */
function isFileName(name: string): boolean {
  const length = [...name].length
  return length >= 1 && length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(name)
}

/** Tells a repeat from another declaration under the same Idempotency-Key. */
export function hashOf({ contentType, size, ciphertextHash, kemCt, suggestedFilename }: Declaration): string {
  return createHash('sha256')
    .update(JSON.stringify([contentType, size, ciphertextHash, kemCt, suggestedFilename]))
    .digest('hex')
}
