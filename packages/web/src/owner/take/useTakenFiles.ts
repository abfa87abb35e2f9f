import type { AccountId } from '@blindkeep/protocol/ids'
import { useEffect } from 'preact/hooks'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { onTakenChange, type TakenFile, takenFiles } from '../../take/takenFiles.ts'

/** Other apps' files without an album, always current: of this account, or without it of all. */
export function useTakenFiles(baseUrl: string, accountId?: AccountId): readonly TakenFile[] {
  const { value, reload } = useLoaded(() => takenFiles({ baseUrl, accountId }), baseUrl)
  useEffect(() => onTakenChange(reload), [reload])
  return (value ?? []).filter(({ albumId }) => albumId === undefined)
}
