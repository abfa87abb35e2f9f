/** How parts become one key: which ranges the store copies, and which short ones go through this process. */
import type { JoinLimits } from '../../ports/keyedBytes.ts'
import type { PlacedPart } from '../../ports/parts.ts'

export interface KeyRange {
  readonly key: string
  readonly start: number
  readonly end: number
}

export type JoinStep = { readonly copy: KeyRange } | { readonly gather: readonly KeyRange[] }

/** Pieces of adjacent parts, in order. Each has `minPieceBytes` (except the last) to `maxPieceBytes`. */
export function planJoin(
  parts: readonly Pick<PlacedPart, 'key' | 'length'>[],
  { minPieceBytes, maxPieceBytes }: JoinLimits,
): readonly JoinStep[] {
  const steps: JoinStep[] = []
  let gathered: KeyRange[] = []
  let missing = minPieceBytes
  const flush = (): void => {
    if (gathered.length > 0) steps.push({ gather: gathered })
    gathered = []
    missing = minPieceBytes
  }
  for (const { key, length } of parts) {
    let start = 0
    // Of a long part behind short ones only as much as their piece needs.
    if (gathered.length > 0 || length < minPieceBytes) {
      start = Math.min(missing, length)
      gathered.push({ key, start: 0, end: start })
      missing -= start
      if (missing === 0) flush()
    }
    const rest = length - start
    if (rest >= minPieceBytes)
      for (const range of cut({ key, start, end: length }, maxPieceBytes)) steps.push({ copy: range })
    else if (rest > 0) {
      gathered.push({ key, start, end: length })
      missing -= rest
    }
  }
  flush()
  return steps
}

/** Equal pieces, none above `max`. */
function cut({ key, start, end }: KeyRange, max: number): readonly KeyRange[] {
  const count = Math.ceil((end - start) / max)
  const size = Math.ceil((end - start) / count)
  return Array.from({ length: count }, (_, index) => ({
    key,
    start: start + index * size,
    end: Math.min(end, start + (index + 1) * size),
  }))
}

/**
 * The parts to join next: all, or if they are too many for one joining, as many as it takes from the first one that is
 * no large joined part itself. Then the object has fewer parts, and its next turn joins them further.
 */
export function partsToJoin<Part extends PlacedPart>(parts: readonly Part[], limits: JoinLimits): readonly Part[] {
  if (planJoin(parts, limits).length <= limits.maxPieces) return parts
  const first = Math.max(
    0,
    parts.findIndex(({ length }) => length <= limits.maxPieceBytes),
  )
  // A part adds at most one piece beyond its own whole ones.
  const piecesOf = ({ length }: Part) => Math.ceil(length / limits.maxPieceBytes) + 1
  let pieces = 0
  const run = parts.slice(first).findIndex((part) => {
    pieces += piecesOf(part)
    return pieces > limits.maxPieces
  })
  return parts.slice(first, run === -1 ? undefined : first + run)
}
