/** The proof about a file: makes it, reads it, and checks it, in browsers and in Node. */
export { MAX_PROOF_BYTES, MAX_PROOF_LINES, type Opening, type ReceiptFile } from '@blindkeep/protocol/schemas/openings'
export { checkFile, checkSigned } from './opening/checkProof.ts'
export { type OriginalBlob, openingOfBlob, openingOfState, savedReceipt } from './opening/makeOpening.ts'
export { ProofError, type ProofFault } from './opening/proofError.ts'
export { type FileProof, parseProof, readProofs } from './opening/readProof.ts'
