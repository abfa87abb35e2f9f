import { useEffect } from 'preact/hooks'
import { useLoaded } from '../../common/useLoaded.ts'
import { onTakenChange, type TakenFile, takenFiles } from '../../take/takenFiles.ts'

/** The files from other apps that wait for the owner's word, as they are now. */
export function useTakenFiles(baseUrl: string): readonly TakenFile[] {
  const { value, reload } = useLoaded(() => takenFiles(baseUrl), baseUrl)
  useEffect(() => onTakenChange(reload), [reload])
  return (value ?? []).filter(({ albumId }) => albumId === undefined)
}
