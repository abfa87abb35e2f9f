/** To follow a server to another address. */

export { MovedAway } from './verify/movedAway.ts'
export { MoveError, type MoveFault } from './verify/moveError.ts'
export {
  alsoLeft,
  formerNames,
  type MoveOptions,
  type OldAddress,
  type PreparedMove,
  prepareMove,
} from './verify/prepareMove.ts'
