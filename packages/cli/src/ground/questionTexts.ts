/** What a link asks its guests, as text and for programs. */
import type { Answers, Asked, Question } from '@blindkeep/client/questions'
import { shown } from './texts.ts'

/** `Matter number (required, at most 20 characters); Topic (Invoice or Other)`. */
export function questionsLine(questions: readonly Question[]): string {
  return questions.map(questionText).join('; ')
}

export function questionText(question: Question): string {
  const facts = [...(question.required ? ['required'] : []), ...formOf(question)]
  return `${shown(question.label)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

function formOf(question: Question): readonly string[] {
  switch (question.kind) {
    case 'text':
      return question.most === undefined ? [] : [`at most ${question.most} characters`]
    case 'choice':
      return [question.choices.map(shown).join(' or ')]
    case 'date':
      return ['a day as in 2026-12-31']
    case 'number':
      return ['a number as in 12.50']
  }
}

/** For programs. */
export function askedFacts({ questions, fileKinds }: Asked) {
  return { questions, file_kinds: fileKinds }
}

/** A guest's answers, for programs. */
export function fieldFacts(fields: Answers | undefined) {
  return fields?.map(([label, value]) => ({ label, value }))
}
