"""One definition in each of the six programming languages of the generated corpora, with slots for words."""

from __future__ import annotations

SLOTS = 20
"""Words that every form takes."""

WORDS = 40
"""Words, as white space separates them, that a form comes to, roughly."""

HEADS = {
    "py": '"""A generated module."""\n\nimport sys\n',
    "js": 'import { readFile } from "node:fs";\n',
    "c": "#include <stdio.h>\n#include <stdlib.h>\n",
    "go": 'package main\n\nimport "fmt"\n',
    "rs": "use std::collections::HashMap;\n",
    "java": "package example;\n\nimport java.util.List;\n",
}

FORMS = {
    "py": '''
def {0}_{1}({2}, {3}=None):
    """{4} {5} {6} {7} {8} {9} {10} {11}."""
    # {12} {13} {14}
    for {15} in {2}.{16}():
        if {15} == {3}:
            return {0}_{17}({15}, "{18} {19}")
    raise ValueError("{5} {6} {2}")
''',
    "js": """
/** {4} {5} {6} {7} {8} {9} {10} {11}. */
export function {0}_{1}({2}, {3}) {{
  // {12} {13} {14}
  for (const {15} of {2}.{16}()) {{
    if ({15} === {3}) return {0}_{17}({15}, "{18} {19}");
  }}
  throw new Error("{5} {6} {2}");
}}
""",
    "c": """
/* {4} {5} {6} {7} {8} {9} {10} {11}. */
static int {0}_{1}(struct {2} *{3}, size_t {16})
{{
        /* {12} {13} {14} */
        for (size_t {15} = 0; {15} < {16}; {15}++)
                if ({3}->{17}[{15}] == {16})
                        return printf("{18} {19}");
        return -1;
}}
""",
    "go": """
// {0}_{1} {4} {5} {6} {7} {8} {9} {10} {11}.
func {0}_{1}({2} []string, {3} string) error {{
	// {12} {13} {14}
	for _, {15} := range {2} {{
		if {15} == {3} {{
			return {0}_{17}({15}, "{18} {19}")
		}}
	}}
	return fmt.Errorf("{5} {6} {16}")
}}
""",
    "rs": """
/// {4} {5} {6} {7} {8} {9} {10} {11}.
pub fn {0}_{1}({2}: &[String], {3}: &str) -> Result<usize, String> {{
    // {12} {13} {14}
    for ({15}, value) in {2}.iter().enumerate() {{
        if value == {3} {{
            return {0}_{17}({15}, "{18} {19}");
        }}
    }}
    Err("{5} {6} {16}".to_string())
}}
""",
    "java": """
/** {4} {5} {6} {7} {8} {9} {10} {11}. */
class {0}_{1} {{
    // {12} {13} {14}
    int {2}(List<String> {3}) {{
        for (String {15} : {3}) {{
            if ({15}.equals("{16}")) {{
                return {17}({15}, "{18} {19}");
            }}
        }}
        throw new IllegalStateException("{5} {6}");
    }}
}}
""",
}
