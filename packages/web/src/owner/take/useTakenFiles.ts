import type { AccountId } from '@blindkeep/protocol/ids'
import { useEffect } from 'preact/hooks'
import { useLoaded } from '../../common/useLoaded.ts'
import { onTakenChange, type TakenFile, takenFiles } from '../../take/takenFiles.ts'

/** The files from other apps that were not added to an album yet, always up to date: those of this account, or of all accounts if it is left out. */
export function useTakenFiles(baseUrl: string, accountId?: AccountId): readonly TakenFile[] {
  const { value, reload } = useLoaded(() => takenFiles({ baseUrl, accountId }), baseUrl)
  useEffect(() => onTakenChange(reload), [reload])
  return (value ?? []).filter(({ albumId }) => albumId === undefined)
}
