/** An attack, and what became of it. */
import type { Reply, Target } from './target.js'

export interface Attack {
  /** In the table. */
  readonly name: string
  /** With its size. */
  readonly tried: string
  /** Done before anybody looks: what is sent is made, and what is attacked is brought to where it is attacked. */
  prepare?(target: Target): Promise<void>
  run(target: Target): Promise<Outcome>
}

export interface Outcome {
  /** What the attacker was answered. */
  readonly answer: string
  /** What the attack has reached; null: nothing. */
  readonly reached: string | null
}

/** Attacks on one service. */
export interface Family {
  readonly name: string
  /** Of the service. */
  readonly env?: () => Readonly<Record<string, string>>
  /** In front of the node; stopped after the service. */
  readonly node?: (nodeUrl: string) => Promise<{ readonly url: string; stop(): Promise<void> }>
  readonly attacks: (nodeUrl: string) => readonly Attack[]
}

/** `12 × 400 INVALID_REQUEST`, by how often. */
export function told(replies: readonly Pick<Reply, 'status' | 'code'>[]): string {
  const counts = new Map<string, number>()
  for (const { status, code } of replies) {
    const kind = code ? `${status} ${code}` : `${status}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  if (sorted.length === 1 && replies.length === 1) return sorted[0]?.[0] ?? ''
  return sorted.map(([kind, count]) => `${count} × ${kind}`).join(', ')
}

/** What was answered with another status than these; null: nothing. */
export function unlike(
  replies: readonly Pick<Reply, 'status' | 'text'>[],
  statuses: readonly number[],
): string | null {
  const other = replies.find(({ status }) => !statuses.includes(status))
  return other ? `answered ${other.status} ${other.text.slice(0, 200)}` : null
}

/** One request that has to be refused in this way. */
export function refused(
  name: string,
  tried: string,
  statuses: readonly number[],
  ask: (target: Target) => Promise<Reply>,
): Attack {
  return {
    name,
    tried,
    async run(target) {
      const reply = await ask(target)
      return { answer: told([reply]), reached: unlike([reply], statuses) }
    },
  }
}
