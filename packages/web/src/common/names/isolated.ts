import { withoutDirections } from '../drawing/draw.ts'

const ISOLATES = /[\u2068\u2069]/g

/** For a name inside a sentence: it cannot turn the direction of the text around it (Unicode TR 9, FSI and PDI). */
export function isolated(name: string): string {
  return `\u2068${withoutDirections(name).replace(ISOLATES, '')}\u2069`
}
