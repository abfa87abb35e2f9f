/** The proof about a file: makes it, reads it, and checks it, in browsers and in Node. */
export type { Opening, ReceiptFile } from '@blindkeep/protocol/schemas/openings'
export { type CheckedProof, checkedProof } from './opening/checkedProof.ts'
export { checkFile, checkSigned } from './opening/checkProof.ts'
export { openingOfState, type SavedReceipt, savedReceipt } from './opening/makeOpening.ts'
export { ProofError, type ProofFault } from './opening/proofError.ts'
export { type FileProof, readProofs } from './opening/readProof.ts'
