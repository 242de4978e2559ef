/** The file of MAKERS: who signs orders when it is asked. Every mistake is told with its line. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { isHttpUrl, isOverlayUrl } from './values.js'
import {
  type FileProblem,
  parseYaml,
  problemsOf,
  readDeclarations,
  toSentence,
} from './yaml-file.js'

/** As the operator names it. */
export interface MakerSource {
  readonly name: string
  readonly chainId: number
  /** Where its levels are: a URL of http(s) or ws(s), or an absolute path. */
  readonly levels: string
  /** Where it signs: a URL of http(s). */
  readonly quote: string
  /** The value of the header `authorization`; null: none is sent. */
  readonly authorization: string | null
}

const mostMakers = 50
const wrongLevels = 'must be a URL of http(s) or ws(s), or a path'

const Maker = z.strictObject(
  {
    name: z
      .string('must be a name')
      .regex(
        /^[a-z][a-z0-9-]{0,31}$/,
        'must be 1 to 32 lower-case letters, digits or hyphens, a letter first',
      ),
    chainId: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be the id of a chain')
      .default('1')
      .transform(Number),
    levels: z
      .string(wrongLevels)
      .refine((text) => isOverlayUrl(text) || !text.includes('://'), wrongLevels)
      .transform((text) => (isOverlayUrl(text) ? text : resolve(text))),
    quote: z.string('must be a URL of http(s)').refine(isHttpUrl, 'must be a URL of http(s)'),
    authorization: z
      .string('must be the value of a header')
      .regex(/^[\x20-\x7e]{1,1000}$/, 'must be the value of a header')
      .nullable()
      .default(null),
  },
  'must be a maker: name, chainId, levels, quote, authorization',
)

const File = z.strictObject(
  {
    makers: z
      .array(Maker, 'must be a list of makers')
      .max(mostMakers, `must hold at most ${mostMakers} makers`),
  },
  'must be a map: makers',
)

/** @returns the makers, or none and sentences on what is wrong, each with its line. */
export function readMakersFile(path: string): {
  readonly makers: readonly MakerSource[]
  readonly problems: readonly string[]
} {
  const file = readDeclarations(path)
  if ('problem' in file) return { makers: [], problems: [file.problem] }
  const { makers, problems } = parseMakers(file.text)
  return { makers, problems: problems.map(toSentence) }
}

export function parseMakers(text: string): {
  readonly makers: readonly MakerSource[]
  readonly problems: readonly FileProblem[]
} {
  const file = parseYaml(text, { asText: true })
  if (file.problems.length > 0) return { makers: [], problems: file.problems }
  const parsed = File.safeParse(file.value)
  if (!parsed.success) return { makers: [], problems: problemsOf(file, parsed.error) }
  const { makers } = parsed.data
  const names = makers.map(({ chainId, name }) => `${chainId} ${name}`)
  const problems = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            line: file.lineOf(['makers', index, 'name']),
            message: `makers[${index}].name is that of another`,
          },
        ],
  )
  return { makers: problems.length > 0 ? [] : makers, problems }
}
