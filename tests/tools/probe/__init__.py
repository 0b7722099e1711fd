# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine the behaviour of an instance: send requests, and write its side of each switch of the embedded service.

``make probe`` runs it on the instance of the environment variables ``SEVENTHINGS_*``. The file that it writes starts
the embedded service like that instance (``--like``), and has no data of the instance.
"""
