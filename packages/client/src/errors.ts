/** All errors that the client throws on purpose, but `RangeError` for arguments and `SourceChanged` (`source.ts`). */
export { AccountError, type AccountFault } from './account/accountError.ts'
export { PasswordWrong } from './account/passwordWrong.ts'
export { RecoveryError, type RecoveryFault } from './account/recoveryError.ts'
export { WordsError, type WordsFault } from './account/wordsError.ts'
export { AssetError, type AssetFault, AssetIncomplete, AssetUnsigned, type RevokedSigner } from './assets/assetError.ts'
export { ANOTHER_DROP, DropError, type DropFault } from './drops/dropError.ts'
export { LinkError, type LinkFault } from './drops/linkError.ts'
export {
  AddressError,
  type AddressSubject,
  AnswerError,
  NetworkError,
  type NetworkFailure,
  ProblemError,
  type ProblemFacts,
} from './http/errors.ts'
export { mayBeDone } from './http/lostAnswer.ts'
export { isTransient } from './http/retry.ts'
export { PROOF_FAULTS, ProofError, type ProofFault } from './opening/proofError.ts'
export { SealError, type SealFault } from './seal/sealError.ts'
export { SendError, type SendRemedy, type SendStopReason } from './send/sendError.ts'
export { type SendTrouble, sendTroubleOf } from './send/sendTrouble.ts'
export { ShareError, type ShareFault } from './share/shareError.ts'
export { FeedRolledBack } from './sync/feedRolledBack.ts'
export { AssetMoveError, type AssetMoveFault } from './transfer/assetMoveError.ts'
export { AuditError, type AuditReason } from './verify/auditError.ts'
export { MovedAway } from './verify/movedAway.ts'
export { MoveError, type MoveFault } from './verify/moveError.ts'
