import { useEffect, useState } from 'preact/hooks'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { type NameIndex, nameIndexOf } from './nameIndex.ts'

/** The index of names. `isLoaded` changes when the stored names are there. */
export function useNames(): { readonly names: NameIndex; readonly isLoaded: boolean } {
  const { owner, baseUrl } = useOwnerPages()
  const names = nameIndexOf(owner, baseUrl)
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    let isShown = true
    names.whenLoaded(() => isShown && setLoaded(true))
    return () => {
      isShown = false
    }
  }, [names])
  return { names, isLoaded }
}
