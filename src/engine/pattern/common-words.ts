/**
 * Words that are common in source text, by how rare they are in bits a place of the text. Pairs of bytes make `token` or
 * `default` look a hundred times rarer than they are, and the literals of rules are such words.
 *
 * Counted once over 73 MB of JavaScript, TypeScript, JSON, C++ and Markdown of this project's dependencies, with names split
 * at their capitals. Only speed hangs on it.
 */
export const COMMON_WORDS: readonly (readonly [bits: number, words: readonly string[]])[] = [
  [9, ['const this type']],
  [10, ['function return string value']],
  [
    11,
    [
      'absl array case error expect export file from import length name node null number object options path',
      'response schema test true void with',
    ],
  ],
  [
    12,
    [
      'api base boolean buffer call class code config content create data default else event exports expression',
      'extends false format https index input interface internal json key message mini module output param params',
      'parse property request require result size source start state static status stream text that time undefined',
      'url',
    ],
  ],
  [
    13,
    [
      'algorithm args arguments assert async await block body break build callback cannot char check client',
      'constructor context core current date declare deserialize element empty entry equal errors expected field',
      'files first flag flags github global hash have headers identifier include info instance invalid issue item',
      'keys kind level license line list log map match method mode model must names namespace next offset only',
      'optional opts parameters plugin private process project promise properties prototype push range read',
      'readonly reference resolve returns rule safe script strict symbol target template throw token tool typeof',
      'types uint union usage used using util values version view when will write',
    ],
  ],
  [
    14,
    [
      'additional after agent always append argument attribute audio auto before begin benchmark beta binaryen',
      'binding bool byte bytes cache calls cast catch certificate chat child chunk close command common compare',
      'completion configuration console constexpr container continue convert copy cord count custom declaration',
      'decorator defaults define defined defs delete delta description directory docs does done double duration',
      'each elements emit enter entries enum events example exit expr filter find fixture float generate generated',
      'group handle handler header http ignore image init inline inst integer into issues items iterator join',
      'keyword last left like link listener literal load local logger long make member memory metadata mock modules',
      'more once open openai operator option origin other package parameter parent parsed part paths pattern',
      'payload point position prefix prop provider public pure random reasoning record regexp remove replace',
      'required resolved responses right role root same search self sequence server session should signature since',
      'slice snapshot socket span spec specified stack statement store stringify strings super switch sync task',
      'than then thread timeout tokens transform tree typename under unique unknown update user usize valid vector',
      'visitors walk which while without worker',
    ],
  ],
  [
    15,
    [
      'abort access alias alloc allow allowed apache apply arbitrary assign back because binary bits btree builtin',
      'cached called capacity cert character civil clear color column comment commit compile compiler constraints',
      'construct contains created crypto debug dependencies dependency deprecated depth details developer either',
      'enabled encode encoding endif explicit extension extensions external extract failed fetch filename fixtures',
      'flat found full functions generator given hello helpers here hook html impl includes inner insert instanceof',
      'instead journal label limit location lower main mapping math maximum messages meta move mozilla multiple',
      'never nodes none note npm numeric order organization original page pair parser partial parts pino plain',
      'platform policy pool post program prompt provided proxy query queue realtime reason received regex relative',
      'remarks resource rest runtime scope second shape shared signal single sink skip some specific specifier',
      'split struct success supported syntax system table tests tools tuple unit unsigned variable video visit',
      'vitest whether width zero',
    ],
  ],
];
