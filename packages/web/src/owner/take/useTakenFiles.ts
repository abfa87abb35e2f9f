import type { AccountId } from '@blindkeep/protocol/ids'
import { useEffect } from 'preact/hooks'
import { useLoaded } from '../../common/useLoaded.ts'
import { onTakenChange, type TakenFile, takenFiles } from '../../take/takenFiles.ts'

/** The files from other apps that wait for the word of this owner, or of any, as they are now. */
export function useTakenFiles(baseUrl: string, accountId?: AccountId): readonly TakenFile[] {
  const { value, reload } = useLoaded(() => takenFiles({ baseUrl, accountId }), baseUrl)
  useEffect(() => onTakenChange(reload), [reload])
  return (value ?? []).filter(({ albumId }) => albumId === undefined)
}
