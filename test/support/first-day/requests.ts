/** Requests: names, forms, paths, methods and keys. */
import { address, alice, type Mistake, quote, route, usdc, weth, withKey } from './mistake.js'

export const requestMistakes: readonly Mistake[] = [
  {
    number: '55',
    mistake: 'A parameter that may be left out is misspelt.',
    before: 'good',
    request: quote({ slipage: '50' }),
    answer: { status: 200, says: ['Not known here and ignored: slipage.'] },
  },
  {
    number: '56',
    mistake: 'A parameter that must be given is misspelt.',
    before: 'does not name the unknown toToken',
    request: quote({ tokenOut: undefined, toToken: weth }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenOut is required', 'Not known here: toToken.'],
      next: [{ parameter: 'tokenOut' }],
    },
  },
  {
    number: '60',
    mistake: 'A list in a query is written as JSON.',
    before: 'fair',
    request: quote({ tokenIn: `["${usdc}"]` }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        'tokenIn must be an address: 0x and 40 hexadecimal digits',
        'A list in a query is no JSON: write k=a,b or k=a&k=b.',
      ],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '61',
    mistake: 'There are fewer amounts than tokens.',
    before: 'clear',
    request: quote({ tokenIn: [usdc, address('DAI')] }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must hold one amount per tokenIn (2, not 1)'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '62',
    mistake: 'A parameter is given twice.',
    before: 'clear',
    request: route({ slippage: ['50', '60'] }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['slippage must be given once'],
      next: [{ parameter: 'slippage' }],
    },
  },
  {
    number: '63',
    mistake: 'The routing strategy does not exist.',
    before: 'good',
    request: route({ routingStrategy: 'fast' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        'routingStrategy must be one of router, delegate, router-legacy, delegate-legacy, svcwallet-v2',
      ],
      next: [{ parameter: 'routingStrategy' }],
    },
  },
  {
    number: '64',
    mistake: 'The execution mode does not exist.',
    before: 'good',
    request: route({ executionMode: 'fast' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['executionMode must be one of user, backend'],
      next: [{ parameter: 'executionMode' }],
    },
  },
  {
    number: '67',
    mistake: 'A route is sent by PUT.',
    before: 'the allowed methods only in a header',
    request: { method: 'PUT', path: '/api/v1/shortcuts/route', body: {} },
    answer: {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      says: ['PUT is not allowed here, but GET, HEAD, POST.'],
      next: [
        { endpoint: 'GET /api/v1/shortcuts/route' },
        { endpoint: 'POST /api/v1/shortcuts/route' },
      ],
    },
  },
  {
    number: '68',
    mistake: 'The body is a form.',
    before: 'clear',
    request: {
      method: 'POST',
      path: '/api/v1/shortcuts/route',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'tokenIn=USDC',
    },
    answer: {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      says: ['The request body must be JSON (content-type: application/json).'],
      next: [{ header: 'content-type', value: 'application/json' }],
    },
  },
  {
    number: '69',
    mistake: 'The body is broken JSON.',
    before: 'clear',
    request: { method: 'POST', path: '/api/v1/shortcuts/route', body: '{"tokenIn": ' },
    answer: { status: 400, code: 'INVALID_REQUEST', says: ['The request body is not valid JSON.'] },
  },
  {
    number: '70',
    mistake: 'The path lacks a part.',
    before: 'clear',
    request: { path: '/api/v1/route' },
    answer: {
      status: 404,
      code: 'NOT_FOUND',
      says: [
        'There is no path /api/v1/route. Did you mean GET /api/v1/shortcuts/route or POST /api/v1/shortcuts/route?',
      ],
      next: [
        { endpoint: 'GET /api/v1/shortcuts/route' },
        { endpoint: 'POST /api/v1/shortcuts/route' },
      ],
    },
  },
  {
    number: '71',
    mistake: 'The path lacks its beginning.',
    before: 'clear',
    request: { path: '/shortcuts/route' },
    answer: {
      status: 404,
      code: 'NOT_FOUND',
      says: [
        'There is no path /shortcuts/route. Did you mean GET /api/v1/shortcuts/route or POST /api/v1/shortcuts/route?',
      ],
      next: [
        { endpoint: 'GET /api/v1/shortcuts/route' },
        { endpoint: 'POST /api/v1/shortcuts/route' },
      ],
    },
  },
  {
    number: '72',
    mistake: 'The path is of another version.',
    before: 'clear',
    request: { path: '/api/v2/shortcuts/route' },
    answer: {
      status: 404,
      code: 'NOT_FOUND',
      says: [
        'There is no path /api/v2/shortcuts/route. Did you mean GET /api/v1/shortcuts/route or POST /api/v1/shortcuts/route?',
      ],
      next: [
        { endpoint: 'GET /api/v1/shortcuts/route' },
        { endpoint: 'POST /api/v1/shortcuts/route' },
      ],
    },
  },
  {
    number: '73',
    mistake: 'The path is of something that is not there.',
    before: 'clear, but no word of /docs',
    request: { path: '/api/v1/swap' },
    answer: {
      status: 404,
      code: 'NOT_FOUND',
      says: ['There is no path /api/v1/swap. GET /docs lists all.'],
      next: [{ endpoint: 'GET /docs' }],
    },
  },
  {
    number: '74',
    mistake: 'There is no key.',
    before: 'very good',
    request: { ...route(), headers: { authorization: '' } },
    answer: {
      status: 401,
      code: 'UNAUTHORIZED',
      says: ['An API key is required: send the header "Authorization: Bearer <key>".'],
      next: [withKey],
    },
  },
  {
    number: '74a',
    mistake: 'The key is not valid.',
    before: 'clear',
    request: { ...route(), headers: { authorization: 'Bearer nonsense' } },
    answer: {
      status: 401,
      code: 'UNAUTHORIZED',
      says: [
        'The API key is not valid: this service has no such key. Its operator makes one with forkroute keys create.',
      ],
      next: [withKey],
    },
  },
  {
    number: '75',
    mistake: 'A POST has its parameters in the query.',
    before: 'four fields are required; not that the query is not read',
    request: { ...route(), method: 'POST' },
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        'tokenIn is required',
        'tokenOut is required',
        'fromAddress is required',
        'amountIn is required',
        'The query of this POST is not read: send tokenIn, tokenOut, amountIn, fromAddress in its JSON body.',
      ],
      next: [
        { parameter: 'tokenIn' },
        { parameter: 'tokenOut' },
        { parameter: 'fromAddress' },
        { parameter: 'amountIn' },
      ],
    },
  },
  {
    number: '76',
    mistake: 'A bundle is asked by GET.',
    before: 'the allowed methods only in a header',
    request: { path: '/api/v1/shortcuts/bundle' },
    answer: {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      says: ['GET is not allowed here, but POST.'],
      next: [{ endpoint: 'POST /api/v1/shortcuts/bundle' }],
    },
  },
  {
    number: '83',
    mistake: 'A price is asked by symbol.',
    before: 'clear',
    request: { path: '/api/v1/prices/1/eth' },
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['address must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'address' }],
    },
  },
  {
    number: '84',
    mistake: 'A flag is none.',
    before: 'clear',
    request: { path: '/api/v1/wallet/balances', query: { eoaAddress: alice, useEoa: 'yes' } },
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['useEoa must be true or false'],
      next: [{ parameter: 'useEoa' }],
    },
  },
]
