/** The language of a page's reader, and the one hook by which a page comes to what is said in it. */
import { type ComponentChildren, createContext, h } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { type Language, presentLanguage } from './language.ts'

interface Reader {
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}

const ReaderContext = createContext<Reader | undefined>(undefined)

/** Around each page (`draw`). */
export function ReaderOf({ children }: { readonly children: ComponentChildren }) {
  const [language, onLanguage] = useState<Language>(presentLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const reader = useMemo(() => ({ language, onLanguage }), [language])
  return h(ReaderContext.Provider, { value: reader, children })
}

export function useReader(): Reader {
  const reader = useContext(ReaderContext)
  if (reader === undefined) throw new Error('useReader needs a page that draw() has drawn')
  return reader
}

/** Whatever there is once for each language: the texts of an area, the formats, the words of errors. */
export function useText<Text>(texts: Readonly<Record<Language, Text>>): Text {
  return texts[useReader().language]
}
